import type { KeyCreated } from '../../../../shared/portal-api.ts';
import { Button } from '../../components/button.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Notice } from '../../components/notice.tsx';

export const SecretDialog = ({ made, onClose }: { made: KeyCreated; onClose: () => void }) => (
  <Dialog
    title="Your new key"
    onClose={onClose}
    dismissible={false}
    footer={
      <Button kind="primary" onClick={onClose}>
        I have stored it
      </Button>
    }
  >
    <p class="small muted">
      Copy it now and store it with your other secrets. We keep only a hash, so it cannot be shown again.
    </p>
    <CopyField value={made.secret} label="Copy key" />
    <Notice tone="warn">
      Anyone with this key can spend your credits. Keep it on your server; never put it in a web page or an app.
    </Notice>
  </Dialog>
);
