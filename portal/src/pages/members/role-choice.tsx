/** The roles, with what each may do; and the password where an owner is made or unmade. */
import { type Role, roles } from '../../../../shared/roles.ts';
import { roleTexts } from '../../components/not-allowed.tsx';
import { PasswordField } from '../../components/password-field.tsx';

type Props = {
  role: Role;
  onRole: (role: Role) => void;
  needsPassword: boolean;
  password: string;
  onPassword: (password: string) => void;
};

export const RoleChoice = ({ role, onRole, needsPassword, password, onPassword }: Props) => (
  <>
    <fieldset class="choices">
      <legend class="label">Role</legend>
      {roles.map((value) => (
        <label class="choice" key={value}>
          <input type="radio" name="role" value={value} checked={role === value} onChange={() => onRole(value)} />
          <span>
            <strong class="role-name">{value}</strong>
            <span class="hint">{roleTexts[value]}</span>
          </span>
        </label>
      ))}
    </fieldset>
    {needsPassword && <PasswordField value={password} onInput={onPassword} />}
  </>
);
