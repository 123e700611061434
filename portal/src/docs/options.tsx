import { options } from 'virtual:schemas';
import { limits } from '../../../shared/limits.ts';
import { marketplaces } from '../../../shared/marketplaces.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { DocHead, H2 } from './doc-head.tsx';
import { Fields } from './fields.tsx';

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
    <H2 id="marketplaces">Marketplaces</H2>
    <p>A marketplace sets the defaults and the rules that the finished file is checked against.</p>
    <ScrollRegion class="framed" label="Marketplaces">
      <table>
        <caption class="visually-hidden">Defaults and rules of each marketplace</caption>
        <thead>
          <tr>
            <th>Marketplace</th>
            <th class="right">Canvas</th>
            <th class="right">Fill</th>
            <th>Formats</th>
            <th class="right">Longest side</th>
            <th>White required</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(marketplaces).map(([name, row]) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td class="right nowrap">{row.canvas} px</td>
              <td class="right nowrap">{Math.round(row.fill * 100)} %</td>
              <td>{row.formatsAllowed.join(', ')}</td>
              <td class="right nowrap">
                {row.longestSide.min.toLocaleString('en-US')}–{row.longestSide.max.toLocaleString('en-US')} px
              </td>
              <td>{row.whiteRequired ? 'yes' : 'no'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
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
    </ul>
  </>
);
export default Options;
