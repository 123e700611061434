import { useState } from 'preact/hooks';
import type { Role } from '../../../../shared/roles.ts';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EmailField } from '../../components/email-field.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';
import { RoleChoice } from './role-choice.tsx';

export const InviteDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => {
  const { busy, problem, run } = useCall();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const [password, setPassword] = useState('');
  const isOwner = role === 'owner';
  const invite = async (): Promise<void> => {
    const answer = await run(post('/invitations', { email, role, ...(isOwner ? { password } : {}) }));
    if (answer.ok) onDone();
  };
  return (
    <Dialog
      title="Invite a member"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="invite" busy={busy}>
            Send invitation
          </Button>
        </>
      }
    >
      <Form id="invite" onSubmit={invite} problem={problem}>
        <EmailField autoComplete="off" value={email} onInput={setEmail} />
        <RoleChoice role={role} onRole={setRole} needsPassword={isOwner} password={password} onPassword={setPassword} />
      </Form>
    </Dialog>
  );
};
