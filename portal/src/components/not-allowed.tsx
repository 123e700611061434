/** Stands for a page that the visitor's role in the account does not include. */
import { useMe } from '../session.tsx';
import { PageHead } from './page-head.tsx';

export const roleTexts = {
  owner: 'Everything, members and deletion included.',
  developer: 'Keys, photos, batches, logs, webhooks, how long results are kept; sees the balance.',
  billing: 'Purchases, receipts, ledger, spending, low-balance mail. No keys, photos or logs.',
} as const;

export const NotAllowed = () => {
  const { role } = useMe();
  return (
    <>
      <PageHead
        title="Not part of your role"
        lead={
          <>
            Your role in this account is <strong>{role}</strong>, which does not include this page. An owner can give
            you another one.
          </>
        }
      />
      <div class="row">
        <a class="button primary" href="/overview">
          Go to the overview
        </a>
        <a class="button" href="/members">
          See who the owners are
        </a>
      </div>
    </>
  );
};
