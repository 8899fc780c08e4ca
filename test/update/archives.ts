import { crc32, deflateRawSync } from "node:zlib";

export interface Member {
  readonly name: string;
  readonly content: string | Buffer;
  /** The size and checksum that the archive states, if they are to be wrong. */
  readonly size?: number;
  readonly crc?: number;
  /** Marks the name as UTF-8 instead of code page 437, the character set of the IBM PC. */
  readonly isUtf8?: boolean;
}

/** A ZIP archive of compressed members. */
export function zipOf(members: readonly Member[]): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const { name, content, size = Buffer.byteLength(content), crc = crc32(content), isUtf8 = false } of members) {
    const data = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(isUtf8 ? 1 << 11 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc, 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), fields, place, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(members.length, 4);
  end.writeUInt16LE(members.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06"), end]);
}
