import com.maxmind.geoip2.DatabaseReader;
import java.io.File;
import java.net.InetAddress;

/** Prints the AS number, organisation and network of addresses, or "none": FILE ADDRESS... */
public class LookUp {
  public static void main(String[] args) throws Exception {
    try (var reader = new DatabaseReader.Builder(new File(args[0])).build()) {
      for (int i = 1; i < args.length; i++) {
        var found = reader.tryAsn(InetAddress.getByName(args[i]));
        System.out.println(
          found
            .map(asn -> asn.getAutonomousSystemNumber() + " " + asn.getAutonomousSystemOrganization() + " " + asn.getNetwork())
            .orElse("none")
        );
      }
    }
  }
}
