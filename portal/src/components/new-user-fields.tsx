/** What is asked of somebody whose address is proved: a name and a password. */
import { limits } from '../../../shared/limits.ts';
import { Field } from './field.tsx';
import { NewPasswordField } from './new-password-field.tsx';

const { nameCharsMax, passwordCharsMin } = limits.portal;

const passwordHint = ({ length }: string): string =>
  length > 0 && length < passwordCharsMin
    ? `${passwordCharsMin - length} more characters to go.`
    : `At least ${passwordCharsMin} characters. A few random words work well.`;

type Props = {
  name: string;
  onName: (name: string) => void;
  password: string;
  onPassword: (password: string) => void;
};

export const NewUserFields = ({ name, onName, password, onPassword }: Props) => (
  <>
    <Field
      label="Name"
      name="name"
      autoComplete="name"
      required
      maxLength={nameCharsMax}
      value={name}
      onInput={(e) => onName(e.currentTarget.value)}
    />
    <NewPasswordField
      label="Password"
      name="password"
      value={password}
      onInput={onPassword}
      hint={passwordHint(password)}
    />
  </>
);
