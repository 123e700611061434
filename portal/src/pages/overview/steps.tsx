import type { ComponentChildren } from 'preact';
import type { LogRow } from '../../../../shared/portal-api.ts';
import { Card } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { FirstPhoto } from './first-photo.tsx';

type Step = {
  readonly done: boolean;
  readonly title: string;
  readonly text: ComponentChildren;
  readonly href?: string;
  readonly action?: string;
  /** Shown while it is the next one. */
  readonly tool?: ComponentChildren;
};

type Standing = {
  readonly first: LogRow | undefined;
  readonly bought: boolean;
  readonly keyed: boolean;
  readonly mayBuy: boolean;
};

const stepsOf = ({ first, bought, keyed, mayBuy }: Standing): readonly Step[] => [
  { done: true, title: 'Register', text: 'Your account is open.' },
  {
    done: first !== undefined,
    title: 'Send the first photo, free',
    text: first ? (
      <>
        Your first image is made. <a href={`/logs/${first.request_id}`}>See it</a>
      </>
    ) : (
      'With a test key, from a terminal or the playground.'
    ),
    href: '/playground',
    action: 'Open playground',
    tool: <FirstPhoto />,
  },
  {
    done: bought,
    title: 'Buy an API pack',
    text: mayBuy
      ? '1,000 credits for $250.00, or fewer at the same price. Credits do not expire.'
      : 'By a member with the role owner or billing.',
    ...(mayBuy ? { href: '/billing', action: 'Buy a pack' } : {}),
  },
  {
    done: keyed,
    title: 'Generate a live key',
    text: 'Images in full size, without a mark, for one credit each.',
    href: '/keys',
    action: 'Create a key',
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
      {current && step.tool}
    </div>
    {!step.done && step.href && (
      <a class={`button compact ${current && !step.tool ? 'primary' : ''}`} href={step.href}>
        {step.action}
      </a>
    )}
  </li>
);

/** What is left to do until images are made in earnest. */
export const Steps = (standing: Standing) => {
  const steps = stepsOf(standing);
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
