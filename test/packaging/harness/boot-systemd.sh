#!/bin/sh
# unshare --mount --pid --fork --net --uts --ipc --cgroup boot-systemd.sh FOLDER NODE CHECKOUT
# Boots systemd, in namespaces of its own, on the files of this machine: what it writes is in memory, and gone at the
# end. The package is where `npm install --global` puts it, with its Node.
set -eu
folder=$1 node=$2 checkout=$3
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"
mkdir "$folder/upper" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
cd "$folder/root"

package=usr/local/lib/node_modules/ipsieve
rm -rf "$package" usr/local/bin/node usr/local/bin/ipsieve etc/ipsieve var/lib/ipsieve
# A bare Debian has no procps.
rm -f usr/bin/kill
mkdir -p "$package" usr/local/bin usr/local/sbin
cp "$node" usr/local/bin/node
(cd "$checkout" && cp -R --parents dist package.json data/*.ipsieve packaging "$OLDPWD/$package")
chmod -R u=rwX,go=rX "$package"
chmod 755 usr/local/bin/node "$package/dist/cli/main.js"
ln -s ../lib/node_modules/ipsieve/dist/cli/main.js usr/local/bin/ipsieve

mount -t proc proc proc
mount --rbind /sys sys
for each in tmp run dev; do mount -t tmpfs tmpfs "$each"; done
chmod 1777 tmp
for each in null zero full random urandom tty; do
  touch "dev/$each"
  mount --bind "/dev/$each" "dev/$each"
done
mkdir dev/pts dev/shm run/lock
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
# Not chroot: a process in one may make no user namespace, as the unit asks for.
mkdir -p old
pivot_root . old
umount -l /old
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=basic.target
