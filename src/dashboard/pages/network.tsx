import { get } from "../api.ts";
import { Page, type PageProps, Panel } from "../components/page.tsx";
import { Loaded } from "../components/states.tsx";
import { useLoad } from "../load.ts";
import { Combined } from "../sets/combination.tsx";
import { compute } from "../sets/sets-api.ts";

/** The organisation of an AS number, and the prefixes that it announces. */
export default function Network({ params }: PageProps) {
  const asn = Number(params["asn"]);
  const network = useLoad(
    async (signal) => {
      const query = { q: `asn:${asn}`, page_size: 1 };
      const [found, prefixes] = await Promise.all([
        get("/dashboard/api/cbs/search", { params: { query }, signal }),
        compute("union", [{ asn }]),
      ]);
      return { name: found.networks[0]?.name ?? "", prefixes };
    },
    [asn],
  );
  return (
    <Page title={`AS${asn} ${network.data?.name ?? ""}`.trim()} about="What this network announces.">
      <Panel>
        <Loaded of={network}>{({ prefixes }) => <Combined of={prefixes} />}</Loaded>
      </Panel>
    </Page>
  );
}
