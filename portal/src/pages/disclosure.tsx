/** How to report a vulnerability, and what happens then. SECURITY.md says the same. */
import { PageHead } from '../components/page-head.tsx';
import { SiteFoot } from '../layouts/site-foot.tsx';
import { SiteHead } from '../layouts/site-head.tsx';

const Disclosure = () => (
  <>
    <SiteHead />
    <main class="content prose" id="main" tabIndex={-1}>
      <PageHead title="Reporting a vulnerability" lead="Thank you for looking. We read every report." />
      <h2>Where to report</h2>
      <p>
        Write to the contact in <a href="/.well-known/security.txt">security.txt</a>, or open a private security
        advisory on the project's repository. Say what an attacker gains, the request or file that shows it, and whether
        you have told anyone else.
      </p>
      <h2>What we promise</h2>
      <ul class="list">
        <li>An answer within three working days, and our judgement within ten.</li>
        <li>A fix of what is serious within 30 days, of everything else within 90; you hear when it is out.</li>
        <li>Credit by name, where you want it. There is no reward in money.</li>
        <li>No legal steps against anyone who keeps to this page.</li>
      </ul>
      <h2>What we ask</h2>
      <ul class="list">
        <li>Use accounts of your own. Stop as soon as you see data that is not yours, and tell us.</li>
        <li>
          No load tests, no mail to strangers, no attacks on people or offices. The project starts on one machine with{' '}
          <code>npm start</code>: try there what could disturb others.
        </li>
        <li>Ninety days before you publish, or earlier once the fix is out.</li>
      </ul>
      <h2>What counts</h2>
      <p>
        Anything that gets at credits, photos, keys or accounts of others, that makes the service fetch what it should
        not, or that stops it for others at little cost. Missing headers without a consequence, versions of libraries
        and reports of scanners alone do not.
      </p>
    </main>
    <SiteFoot />
  </>
);
export default Disclosure;
