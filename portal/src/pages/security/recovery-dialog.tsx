import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';

export const RecoveryDialog = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <Dialog
    title="Your recovery codes"
    onClose={onClose}
    dismissible={false}
    footer={
      <>
        <CopyButton text={codes.join('\n')} label="Copy all" showLabel quiet={false} />
        <Button kind="primary" onClick={onClose}>
          I have stored them
        </Button>
      </>
    }
  >
    <p class="small">Each of them signs you in once, when your phone is not at hand. They are not shown again.</p>
    <ul class="recovery-codes mono">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
    <Notice tone="warn">Keep them where your password is not. Without phone and codes nobody can let you in.</Notice>
  </Dialog>
);
