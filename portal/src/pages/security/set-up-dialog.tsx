/** The secret as a picture for the app's camera and as text, and the first code, which switches the factor on. */
import { useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import { post } from '../../api.ts';
import { Button } from '../../components/button.tsx';
import { CodeField } from '../../components/code-field.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { useCall } from '../../use-call.ts';

export type NewCodes = { readonly totpURI: string; readonly backupCodes: readonly string[] };

const messages = { INVALID_CODE: 'The code is wrong, or too old. Type the one that the app shows now.' };

/** Black on white in every theme: cameras need the contrast. */
const QrCode = ({ text }: { text: string }) => {
  const { data, size } = useMemo(() => encode(text), [text]);
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of the secret">
      <path d={path} />
    </svg>
  );
};

type Props = { codes: NewCodes; onClose: () => void; onDone: () => void };

export const SetUpDialog = ({ codes, onClose, onDone }: Props) => {
  const { busy, problem, run } = useCall(messages);
  const [code, setCode] = useState('');
  const secret = new URL(codes.totpURI).searchParams.get('secret') ?? '';
  const submit = async (): Promise<void> => {
    if ((await run(post('/auth/two-factor/verify-totp', { code }))).ok) onDone();
  };
  return (
    <Dialog
      title="Set up your authenticator app"
      onClose={onClose}
      dismissible={false}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="set-up-codes" busy={busy}>
            Switch on
          </Button>
        </>
      }
    >
      <Form id="set-up-codes" onSubmit={submit} problem={problem}>
        <p class="small">Scan this with the app, or type the secret into it.</p>
        <QrCode text={codes.totpURI} />
        <CopyField value={secret} label="Copy secret" />
        <CodeField label="Code that the app shows" value={code} onInput={setCode} />
      </Form>
    </Dialog>
  );
};
