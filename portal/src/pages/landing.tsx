/** The first page: what it is, what it costs, how it is called. */
import { PACK, PACKS } from '../../../shared/credits.ts';
import { limits } from '../../../shared/limits.ts';
import { marketplaceNames } from '../../../shared/marketplaces/index.ts';
import { CodeTabs } from '../components/code-tabs.tsx';
import { count, dollars } from '../format.ts';
import { TryIt } from '../landing/try-it.tsx';
import { SiteFoot } from '../layouts/site-foot.tsx';
import { SiteHead } from '../layouts/site-head.tsx';
import { uploadSamples } from '../samples/upload.ts';
import { useSession } from '../session.tsx';
import { useTitle } from '../use-title.ts';

const smallest = Math.min(...PACKS.map(({ credits }) => credits));

const points = [
  [
    'Pure white background',
    'Every pixel outside the product is exactly (255, 255, 255) in the finished file, after encoding.',
  ],
  [
    'Measured on the file',
    'Fill, centring, colour space and size are checked on the decoded output. Every response includes the figures.',
  ],
  [
    'Ready, Needs a look, Retake',
    'Each result carries a verdict of what was measured: the rules, the cut-out’s confidence, and what is wrong with the photo. Never Ready on a low confidence.',
  ],
  ['Pay per delivered image', 'An image costs one credit once its download exists. Images that fail are free.'],
  [
    'Upload or batch',
    'Upload files and get the results in the response, or send a thousand URLs and get a webhook when they are done. Both are safe to repeat.',
  ],
  [
    'One photo, many marketplaces',
    `A file and a report for each of up to ${limits.marketplaces.perImageMax} of ${marketplaceNames.length} marketplaces, by their own rules, for one credit.`,
  ],
] as const;

const Landing = () => {
  useTitle('Product photos to marketplace main images');
  const { me } = useSession();
  const start = me ? '/overview' : '/sign-up';
  return (
    <>
      <SiteHead />
      <main id="main" tabIndex={-1} class="landing">
        <section class="intro">
          <div class="intro-text">
            <h1>Product photo in, marketplace main image out.</h1>
            <p>
              One API call removes the background, centres the product on pure white and fills 85&nbsp;% of the canvas.
              Then it measures the finished file against the marketplace’s rules, and says whether a person should look.
            </p>
            <div class="row">
              <a class="button primary large" href={start}>
                {me ? 'Open dashboard' : 'Get started'}
              </a>
              <a class="button large" href="/docs">
                Read the docs
              </a>
            </div>
            <p class="small muted">
              $0.25 per image. {dollars(PACK.credits)} buys {count(PACK.credits)}, {dollars(smallest)} buys{' '}
              {count(smallest)}; credits do not expire.
            </p>
          </div>
          <TryIt />
        </section>
        <section class="landing-code">
          <div>
            <h2>One request</h2>
            <p class="muted">
              Send the file, read the JSON, download the result. The response lists the charge, the balance, the verdict
              and every rule checked.
            </p>
          </div>
          <CodeTabs label="Language" samples={uploadSamples()} />
        </section>
        <section class="points">
          {points.map(([title, text]) => (
            <div key={title}>
              <h3>{title}</h3>
              <p>{text}</p>
            </div>
          ))}
        </section>
        <section class="closing">
          <h2>Every option at once</h2>
          <p class="muted">
            The playground shows a photo for up to {limits.marketplaces.perImageMax} marketplaces beside each other, in
            your browser and free. It leaves your computer when you press check or run.
          </p>
          <a class="button primary large" href={me ? '/playground' : '/sign-up'}>
            {me ? 'Open playground' : 'Create an account'}
          </a>
        </section>
      </main>
      <SiteFoot />
    </>
  );
};
export default Landing;
