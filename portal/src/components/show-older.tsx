import { Button } from './button.tsx';

/** The foot of a card whose list goes on. */
export const ShowOlder = ({ more }: { more: () => Promise<void> }) => (
  <div class="card-foot row end">
    <Button compact onClick={() => void more()}>
      Show older
    </Button>
  </div>
);
