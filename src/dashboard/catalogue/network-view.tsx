import { get } from "../api.ts";
import { Panel } from "../components/page.tsx";
import { Loaded } from "../components/states.tsx";
import { useLoad } from "../load.ts";
import { Combined } from "../sets/combination.tsx";
import { compute } from "../sets/sets-api.ts";

/** The organisation of an AS number, and the prefixes that it announces. */
export function NetworkView({ asn }: { readonly asn: number }) {
  const network = useLoad(
    async (signal) => {
      const params = { query: { q: `asn:${asn}`, page_size: 1 } };
      const [found, prefixes] = await Promise.all([
        get("/dashboard/api/cbs/search", { params, signal }),
        compute("union", [{ asn }]),
      ]);
      return { asn, name: found.networks[0]?.name ?? "", prefixes };
    },
    [asn],
  );
  const { data } = network;
  return (
    <Panel title={data?.asn === asn ? `AS${asn} ${data.name}` : `AS${asn}`}>
      <Loaded of={{ ...network, data: data?.asn === asn ? data : undefined }}>
        {({ prefixes }) => <Combined of={prefixes} />}
      </Loaded>
    </Panel>
  );
}
