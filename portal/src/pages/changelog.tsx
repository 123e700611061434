/** What has changed, made of CHANGELOG.md at build time. */
import { releases } from 'virtual:changelog';
import type { Entry } from '../changelog/parse.ts';
import { DocHead } from '../docs/doc-head.tsx';
import { SiteFoot } from '../layouts/site-foot.tsx';
import { SiteHead } from '../layouts/site-head.tsx';

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

const EntryLine = ({ anchor, parts }: Entry) => (
  <li id={anchor}>
    {parts.map(({ kind, text }) => (kind === 'code' ? <code>{text}</code> : text))}{' '}
    <a class="changelog-anchor" href={`#${anchor}`} aria-label="Link to this entry">
      #
    </a>
  </li>
);

const Changelog = () => (
  <>
    <SiteHead />
    <main class="content prose changelog" id="main" tabIndex={-1}>
      <DocHead title="Changelog">
        What is new in the API, the portal and the clients, newest first. The API’s version is in its path: nothing here
        breaks /api/v1 unless it says so.
      </DocHead>
      <p class="small">
        <a href="/changelog.xml" type="application/atom+xml">
          Atom feed
        </a>{' '}
        · <a href="/changelog.md">Markdown</a>
      </p>
      {releases.map(({ date: day, groups }) => (
        <section key={day}>
          <h2 id={day ?? 'latest'}>
            <a class="anchor" href={`#${day ?? 'latest'}`}>
              {day ? <time dateTime={day}>{date.format(new Date(`${day}T00:00:00Z`))}</time> : 'Latest'}
            </a>
          </h2>
          {groups.map(({ kind, entries }) => (
            <div key={kind}>
              <h3>{kind}</h3>
              <ul class="list">
                {entries.map((entry) => (
                  <EntryLine key={entry.anchor} {...entry} />
                ))}
              </ul>
            </div>
          ))}
        </section>
      ))}
    </main>
    <SiteFoot />
  </>
);
export default Changelog;
