import { limits } from '../../../shared/limits.ts';
import { paths } from '../../../shared/paths.ts';
import { keyScopes, routeScopes } from '../../../shared/scopes.ts';
import { Code } from '../components/code.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { Table } from '../components/table.tsx';
import { DocHead, H2 } from './doc-head.tsx';

const { allowedIpsMax, overlapMsMax, perAccountMax } = limits.keys;

const opened = (scope: string): string[] => [
  ...new Set(
    (Object.keys(paths) as (keyof typeof paths)[])
      .filter((name) => routeScopes[name] === scope)
      .map((name) => paths[name].replace(/:(\w+)/g, '{$1}')),
  ),
];

const Scopes = () => (
  <ScrollRegion class="framed" label="Scopes">
    <Table caption="Scopes and what they open" columns={['Scope', 'Opens']}>
      {keyScopes.map((scope) => (
        <tr key={scope}>
          <td>
            <code>{scope}</code>
          </td>
          <td data-label="Opens">
            {opened(scope).map((path) => (
              <span class="block" key={path}>
                <code>{path}</code>{' '}
              </span>
            ))}
          </td>
        </tr>
      ))}
    </Table>
  </ScrollRegion>
);

const Keys = () => (
  <>
    <DocHead title="Keys">
      What a key may do, what it may spend, until when and from where; and how it is replaced without a break.
    </DocHead>
    <p>
      A secret key begins with <code>packshot_live_</code> or <code>packshot_test_</code>. Keys from before, which begin
      with <code>sk_live_</code> or <code>sk_test_</code>, go on as they are. Make keys in the{' '}
      <a href="/keys">portal</a> or with a key that has the scope <code>admin</code>; an account has at most{' '}
      {perAccountMax} that can be used. The secret is shown once.
    </p>
    <Code
      title="A key for one warehouse"
      language="sh"
      source={`curl $PACKSHOT_URL/api/v1/keys \\
  -H "Authorization: Bearer $PACKSHOT_ADMIN_KEY" -H "Content-Type: application/json" \\
  -d '{"label": "Warehouse", "scopes": ["images:write", "batches:read"],
       "daily_credit_cap": 500, "allowed_ips": ["203.0.113.0/24"], "expires_at": "2027-06-30T00:00:00Z"}'`}
    />
    <H2 id="scopes">Scopes</H2>
    <p>
      A new key has the first three unless it is made with others. A request that the key's scopes do not open gets 403{' '}
      <code>key_scope_missing</code>, which names the scope. The tools of <code>/mcp</code> each need the scope of what
      they do. Downloads need no key.
    </p>
    <Scopes />
    <H2 id="cap">Spending cap</H2>
    <p>
      <code>daily_credit_cap</code> bounds the credits that a key holds or spends on one UTC day, whatever happens at
      once: beyond it a request gets 402 <code>key_spending_cap_reached</code>, with <code>daily_credit_cap</code>,{' '}
      <code>credits_used_today</code>, <code>credits_required</code> and <code>resets_at</code>. Nothing is charged or
      stored then. A credit counts on the day on which it was held; an image that fails gives its credit back to that
      day. Keys that a key makes count against its cap as well as their own. Test keys spend nothing and have no cap.
    </p>
    <H2 id="expiry">Expiry and addresses</H2>
    <p>
      From <code>expires_at</code> on, requests get 401 <code>key_expired</code>. <code>allowed_ips</code> holds up to{' '}
      {allowedIpsMax} addresses or ranges, IPv4 and IPv6; from elsewhere requests get 403{' '}
      <code>key_address_not_allowed</code>, and take nothing of the account's rate. Both are in the request log.
    </p>
    <H2 id="roll">Rolling</H2>
    <p>
      Rolling gives a key another secret. Those before go on for <code>overlap_hours</code>, at most{' '}
      {overlapMsMax / 3_600_000}; without one they end at once. The key stays the same: its batches, Idempotency-Keys,
      log and cap. If the answer is lost, roll again with an overlap: the secret in use goes on.
    </p>
    <Code
      language="sh"
      source={`curl $PACKSHOT_URL/api/v1/keys/key_…/roll \\
  -H "Authorization: Bearer $PACKSHOT_ADMIN_KEY" -H "Content-Type: application/json" -d '{"overlap_hours": 24}'`}
    />
    <H2 id="usage">Usage by key</H2>
    <p>
      <a href="/usage">Usage</a> in the portal shows what each key and each marketplace was used for, by day, week or
      month of up to 400 days (UTC), live and test keys apart, and as CSV. Images and spending are what the ledger
      charged; requests, errors and latency are those of the request log, and latency is of requests that were charged.
      An image for several marketplaces is one image and one credit. One for which no marketplace is named counts as
      Amazon's.
    </p>
    <H2 id="admin">Keys that manage keys</H2>
    <p>
      A key with <code>admin</code> never gives more than it has: no scope that it lacks, no later expiry, no wider
      allow-list, no higher cap; what a request leaves out is as it is with the key that asks, and <code>admin</code> is
      given by name alone. It neither changes nor rolls a key that may do more than it may itself, and a test key
      manages test keys alone: 403 <code>key_grants_exceeded</code> says in which field. Revoking takes effect with the
      next request; the keys that a revoked key made go on, and the list names them by <code>created_by</code>.
    </p>
  </>
);
export default Keys;
