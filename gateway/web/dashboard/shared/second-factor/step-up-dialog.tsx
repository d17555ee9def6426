// Asks for the code of a step-up (step-up.tsx): by a passkey first if there is one, or entered.
import { Button, Divider, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { readCode } from '@core/typed-identifiers.js';
import { FIRST_FIELD } from '../forms/first-field.js';
import { makePasskeyCode } from '../session/passkeys.js';
import { hasSecondFactor, sessionQuery } from '../session/session.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { PasskeyButton } from './passkey-button.js';

export interface Question {
  /** Why the last code was refused; empty at first. */
  readonly message: string;
  /** null: the person closed the dialog. */
  readonly answer: (code: string | null) => void;
}

export function StepUpDialog({ message, answer }: Question): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const { data: session } = useQuery(sessionQuery);
  const user = session?.user;
  const hasFactor = user === undefined || hasSecondFactor(user);
  const hasPasskey = user !== undefined && user.passkeys > 0;
  return (
    <Modal
      opened
      onClose={() => {
        answer(null);
      }}
      title={texts.stepUpTitle}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {!hasFactor && <NoFactor />}
      {hasFactor && (
        <Stack>
          {hasPasskey && <PasskeyChoice onCode={answer} />}
          <CodeForm
            message={message}
            hasApp={user?.totp_enabled !== false}
            isSecond={hasPasskey}
            onCode={answer}
          />
        </Stack>
      )}
    </Modal>
  );
}

function NoFactor(): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <Stack>
      <Text size="sm">{texts.stepUpNoFactor}</Text>
      <Button component="a" href="/dashboard/account">
        {texts.stepUpSetUp}
      </Button>
    </Stack>
  );
}

interface ChoiceProps {
  readonly onCode: (code: string) => void;
}

function PasskeyChoice({ onCode }: ChoiceProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  return (
    <>
      <Text size="sm">{texts.stepUpPasskeyHelp}</Text>
      <PasskeyButton
        label={texts.passkeyUse}
        onPress={async () => {
          onCode(await makePasskeyCode());
        }}
      />
      <Divider label={texts.or} />
    </>
  );
}

interface CodeFormProps extends ChoiceProps {
  readonly message: string;
  /** False: only a recovery code can be entered. */
  readonly hasApp: boolean;
  /** A passkey is offered above. */
  readonly isSecond: boolean;
}

function CodeForm({ message, hasApp, isSecond, onCode }: CodeFormProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const [code, setCode] = useState('');
  const send = (event: FormEvent): void => {
    event.preventDefault();
    onCode(readCode(code));
  };
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label={hasApp ? texts.stepUpCode : texts.stepUpRecoveryCode}
          description={hasApp ? texts.stepUpHelp : texts.stepUpRecoveryHelp}
          value={code}
          error={message}
          autoComplete="one-time-code"
          {...FIRST_FIELD}
          onChange={(event) => {
            setCode(event.currentTarget.value);
          }}
        />
        <Button type="submit" variant={isSecond ? 'default' : 'filled'}>
          {texts.confirm}
        </Button>
      </Stack>
    </form>
  );
}
