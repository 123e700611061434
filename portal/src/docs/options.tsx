import { options } from 'virtual:schemas';
import { limits } from '../../../shared/limits.ts';
import { fileBounds } from '../../../shared/marketplaces/bounds.ts';
import { type Marketplace, marketplaces } from '../../../shared/marketplaces/index.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { DocHead, H2 } from './doc-head.tsx';
import { Fields } from './fields.tsx';

const largestFile = (row: Marketplace): string => {
  const { bytesMax } = fileBounds(row);
  return Number.isFinite(bytesMax) ? `${bytesMax / 1_000_000} MB` : '–';
};

const Options = () => (
  <>
    <DocHead title="Options">
      The same for both styles: form fields of an upload, or the <code>options</code> object of a batch. All are
      optional; an unknown one is an error.
    </DocHead>
    <Fields
      schema={options}
      notes={{ quality: `Encoder quality, ${limits.quality.default} by default. Not accepted with png.` }}
      caption="Options"
    />
    <H2 id="region">One product of several</H2>
    <p>
      <code>region</code> says where the wanted product is, in the upright photo: <code>120,80,600,700</code> is x, y,
      width and height in pixels, <code>10%,5%,45%,90%</code> the same in percent. What lies for the larger part outside
      is another product and is left out. Draw it with a little room: a region that is 3 % too tight cuts nothing, one
      that goes through the product cuts it and is answered with the finding <code>product_cropped</code>. Findings are
      about the region, in the pixels of the whole photo. One that the photo does not hold fails, at no charge.
    </p>
    <H2 id="marketplaces">Marketplaces</H2>
    <p>
      A marketplace sets the defaults and <a href="/docs/marketplaces">the rules</a> that the finished file is checked
      against. Where it limits the bytes of a file, the quality is lowered until the file keeps within them; one that
      cannot be made so small fails with{' '}
      <a href="/docs/errors#output_too_large">
        <code>output_too_large</code>
      </a>{' '}
      and costs nothing.
    </p>
    <ScrollRegion class="framed" label="Marketplaces">
      <Table
        caption="Defaults of each marketplace"
        columns={['Marketplace', { right: 'Canvas' }, { right: 'Fill' }, 'Format', { right: 'Largest file' }]}
      >
        {Object.entries(marketplaces).map(([name, row]) => (
          <tr key={name}>
            <td>
              <a href={`/docs/marketplaces#${name}`}>
                <code>{name}</code>
              </a>
            </td>
            <td data-label="Canvas" class="right nowrap">
              {row.canvas.width} × {row.canvas.height} px
            </td>
            <td data-label="Fill" class="right nowrap">
              {Math.round(row.fill * 100)} %
            </td>
            <td data-label="Format">{row.format}</td>
            <td data-label="Largest file" class="right nowrap">
              {largestFile(row)}
            </td>
          </tr>
        ))}
      </Table>
    </ScrollRegion>
    <H2 id="several">Several marketplaces at once</H2>
    <p>
      <code>marketplaces=amazon,walmart,zalando</code> in place of <code>marketplace</code> makes one file and one
      report for each, up to {limits.marketplaces.perImageMax}, from one photo: in <code>outputs</code> of the result,
      in the order asked for. The first is also the result itself (<code>clean_url</code>, <code>compliance</code>). An
      image costs <strong>one credit</strong>, however many marketplaces it is made for. Each keeps its own defaults; an
      option that you give holds for all of them. An image whose files cannot all be made fails, names the marketplace
      and costs nothing.
    </p>
    <H2 id="combinations">Combinations that are refused</H2>
    <ul class="list">
      <li>
        <code>background=transparent</code> needs <code>format</code> png or webp, and no shadow.
      </li>
      <li>
        <code>layout=original</code> keeps the framing of the photo, so it takes neither <code>canvas</code> nor{' '}
        <code>fill</code>.
      </li>
      <li>
        <code>quality</code> is not accepted with png.
      </li>
      <li>
        <code>marketplace</code> and <code>marketplaces</code> are not accepted together, and the canvases of several
        marketplaces have at most {limits.canvas.pixelsMax / 1_000_000} megapixels together.
      </li>
    </ul>
  </>
);
export default Options;
