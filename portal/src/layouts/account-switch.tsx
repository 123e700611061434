/** Which of their accounts a user works in; not shown to who has one alone. */
import { useSession } from '../session.tsx';

export const AccountSwitch = () => {
  const { me, choose } = useSession();
  if (!me || me.accounts.length < 2) return null;
  return (
    <div class="account-switch">
      <select
        class="input"
        aria-label="Account"
        value={me.account.account_id}
        onChange={(e) => void choose(e.currentTarget.value)}
      >
        {me.accounts.map(({ account_id, name, role, is_own }) => (
          <option key={account_id} value={account_id}>
            {is_own ? 'Your own account' : `${name} (${role})`}
          </option>
        ))}
      </select>
      {/* The choice is often too narrow for it. */}
      <span class="small muted">Your role: {me.role}</span>
    </div>
  );
};
