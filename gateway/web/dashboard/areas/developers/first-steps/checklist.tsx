// The steps as a list that opens one at a time: the first that is not done, until the person chooses another.
import { Accordion, Progress, Stack, Text, ThemeIcon } from '@mantine/core';
import Check from 'lucide-react/icons/check';
import { type ReactNode, useState } from 'react';
import { SecretOnce } from '@dashboard/shared/parts/secret-once.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import classes from '../parts/developers.module.css';
import { DEVELOPERS_TEXTS } from '../parts/texts.js';
import {
  EndpointStep,
  KeyStep,
  LiveStep,
  PayStep,
  PaymentStep,
  WebhookStep,
} from './step-panels.js';
import { isDone, type Progress as Made, STEPS, type Step } from './progress.js';

const FULL = 100;
const ICON_SIZE = 14;

interface Choice {
  /** null: all are closed. */
  readonly step: Step | null;
  /** Whether the step was done when it was chosen. */
  readonly wasDone: boolean;
}

/** A step that is done while it is open makes room for the next one. */
function findOpenStep(choice: Choice | null, made: Made): Step | null {
  const next = STEPS.find((step) => !isDone(step, made)) ?? null;
  if (choice === null) return next;
  const { step, wasDone } = choice;
  return step !== null && !wasDone && isDone(step, made) ? next : step;
}

export function Checklist({ made }: { readonly made: Made }): ReactNode {
  const { steps, keys } = useTexts(DEVELOPERS_TEXTS);
  const [choice, setChoice] = useState<Choice | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const done = STEPS.filter((step) => isDone(step, made));
  const choose = (value: string | null): void => {
    const step = STEPS.find((each) => each === value) ?? null;
    setChoice({ step, wasDone: step !== null && isDone(step, made) });
  };
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {steps.progress(done.length, STEPS.length)}
      </Text>
      <Progress
        value={(done.length / STEPS.length) * FULL}
        aria-label={steps.title}
        color={done.length === STEPS.length ? 'green' : 'brand'}
      />
      <Accordion variant="contained" order={2} value={findOpenStep(choice, made)} onChange={choose}>
        {STEPS.map((step) => (
          <StepItem key={step} step={step} made={made} onSecret={setSecret} />
        ))}
      </Accordion>
      {/* Outside of the steps: the one with the key closes as soon as the key is made. */}
      <SecretOnce
        title={keys.secretTitle}
        secret={secret}
        onDone={() => {
          setSecret(null);
        }}
      />
    </Stack>
  );
}

interface StepProps {
  readonly step: Step;
  readonly made: Made;
  /** Takes the secret of a new key. */
  readonly onSecret: (secret: string) => void;
}

function StepItem(props: StepProps): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  const { step, made } = props;
  const isMade = isDone(step, made);
  return (
    <Accordion.Item value={step} className={classes.step ?? ''} data-step={step} data-done={isMade}>
      <Accordion.Control icon={<StepIcon number={STEPS.indexOf(step) + 1} isMade={isMade} />}>
        <Text fw={600}>{steps.names[step]}</Text>
      </Accordion.Control>
      <Accordion.Panel>
        <StepPanel {...props} />
      </Accordion.Panel>
    </Accordion.Item>
  );
}

interface StepIconProps {
  readonly number: number;
  readonly isMade: boolean;
}

function StepIcon({ number, isMade }: StepIconProps): ReactNode {
  const { steps } = useTexts(DEVELOPERS_TEXTS);
  return isMade ? (
    <ThemeIcon color="green.9" radius="xl" size="sm" role="img" aria-label={steps.done}>
      <Check size={ICON_SIZE} aria-hidden />
    </ThemeIcon>
  ) : (
    <ThemeIcon variant="default" radius="xl" size="sm">
      <Text size="xs" component="span">
        {number}
      </Text>
    </ThemeIcon>
  );
}

function StepPanel({ step, made, onSecret }: StepProps): ReactNode {
  switch (step) {
    case 'key':
      return <KeyStep onSecret={onSecret} />;
    case 'payment':
      return <PaymentStep />;
    case 'paid':
      return <PayStep payment={made.payment} />;
    case 'endpoint':
      return <EndpointStep endpoint={made.endpoint} />;
    case 'webhook':
      return <WebhookStep endpoint={made.endpoint} />;
    case 'live':
      return <LiveStep merchant={made.merchant} />;
  }
}
