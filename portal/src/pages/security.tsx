/** How the account is signed in to: password, second factor, passkeys, and where it is signed in now. */
import type { SecurityOverview } from '../../../shared/portal-api.ts';
import { PageHead } from '../components/page-head.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useQuery } from '../use-query.ts';
import { PasskeysCard } from './security/passkeys-card.tsx';
import { PasswordCard } from './security/password-card.tsx';
import { SessionsCard } from './security/sessions-card.tsx';
import { TwoFactorCard } from './security/two-factor-card.tsx';

const Security = () => {
  const { value, problem, reload } = useQuery<SecurityOverview>('/account/security');
  return (
    <>
      <PageHead title="Security" lead="How you sign in, and where you are signed in now." />
      <div class="stack">
        <Problem problem={problem} retry={reload} />
        {!value && !problem && <Skeleton height={30} />}
        {value && (
          <>
            <TwoFactorCard isOn={value.two_factor} onChange={reload} />
            <PasskeysCard passkeys={value.passkeys} onChange={reload} />
            <PasswordCard onChange={reload} />
            <SessionsCard sessions={value.sessions} onChange={reload} />
          </>
        )}
      </div>
    </>
  );
};
export default Security;
