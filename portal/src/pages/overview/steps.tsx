import { Card } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';

type Step = { done: boolean; title: string; text: string; href: string; action: string };

const stepsOf = (bought: boolean, keyed: boolean): readonly Step[] => [
  { done: true, title: 'Register', text: 'Your account is open.', href: '', action: '' },
  {
    done: bought,
    title: 'Buy an API pack',
    text: '1,000 credits for $250.00, or fewer at the same price. Credits do not expire.',
    href: '/billing',
    action: 'Buy a pack',
  },
  {
    done: keyed,
    title: 'Generate a secret key',
    text: 'Test keys are free; their results are small and carry a watermark.',
    href: '/keys',
    action: 'Create a key',
  },
  {
    done: false,
    title: 'Send the first photo',
    text: 'From the playground, or with curl as in the quick start.',
    href: '/playground',
    action: 'Open playground',
  },
];

const StepItem = ({ step, number, current }: { step: Step; number: number; current: boolean }) => (
  <li class={step.done ? 'done' : current ? 'current' : ''}>
    <span class="step-mark" aria-hidden="true">
      {step.done ? <Icon name="check" size={13} /> : number}
    </span>
    <div class="grow">
      <strong>
        {step.title}
        {step.done && <span class="visually-hidden"> (done)</span>}
      </strong>
      <p class="muted small">{step.text}</p>
    </div>
    {!step.done && step.href && (
      <a class={`button compact ${current ? 'primary' : ''}`} href={step.href}>
        {step.action}
      </a>
    )}
  </li>
);

/** What is left to do until the first image. */
export const Steps = ({ bought, keyed }: { bought: boolean; keyed: boolean }) => {
  const steps = stepsOf(bought, keyed);
  const current = steps.findIndex((step) => !step.done);
  return (
    <Card title="Get started">
      <ol class="steps">
        {steps.map((step, i) => (
          <StepItem key={step.title} step={step} number={i + 1} current={i === current} />
        ))}
      </ol>
    </Card>
  );
};
