// Step-up: the API answers some requests with an error about `totp_code` until a code is sent. The person proves a passkey,
// which gives a code, or enters one, and the request is repeated with it.
import { Button, Divider, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { createContext, type FormEvent, type ReactNode, use, useState } from 'react';
import { ApiFailure } from '../api/failure.js';
import { makePasskeyCode } from '../session/passkeys.js';
import { hasSecondFactor, sessionQuery } from '../session/session.js';
import { describeFieldError } from '../text/error-texts.js';
import { useLanguage, useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { PasskeyButton } from './passkey-button.js';

export const FACTOR_FIELD = 'totp_code';

/** Runs a request, without a code first. */
export type StepUp = <Data>(run: (code: string | undefined) => Promise<Data>) => Promise<Data>;

const StepUpContext = createContext<StepUp>((run) => run(undefined));

export const useStepUp = (): StepUp => use(StepUpContext);

interface Question {
  readonly message: string;
  readonly answer: (code: string | null) => void;
}

export const needsCode = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.param === FACTOR_FIELD;

/** The part of a body that holds the code. */
export const buildProof = (code: string | undefined) =>
  code === undefined ? {} : { [FACTOR_FIELD]: code };

export function StepUpProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { language } = useLanguage();
  const [question, setQuestion] = useState<Question | null>(null);
  const ask = (message: string): Promise<string | null> =>
    new Promise((resolve) => {
      const answer = (code: string | null): void => {
        setQuestion(null);
        resolve(code);
      };
      setQuestion({ message, answer });
    });
  const stepUp: StepUp = async (run) => {
    for (let code: string | undefined; ;) {
      try {
        return await run(code);
      } catch (error) {
        if (!needsCode(error)) throw error;
        const entered = await ask(code === undefined ? '' : describeFieldError(language, error));
        if (entered === null) throw error;
        code = entered;
      }
    }
  };
  return (
    <StepUpContext value={stepUp}>
      {children}
      {question !== null && <StepUpDialog {...question} />}
    </StepUpContext>
  );
}

function StepUpDialog({ message, answer }: Question): ReactNode {
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
    onCode(code.trim().toLowerCase());
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
          data-autofocus
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
