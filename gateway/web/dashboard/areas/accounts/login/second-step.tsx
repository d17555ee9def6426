// The second step of a sign-in: a passkey first if there is one, the code of the authenticator app, or a recovery code.
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { readCode } from '@core/typed-identifiers.js';
import { PasskeyButton } from '@dashboard/shared/second-factor/passkey-button.js';
import { needsCode } from '@dashboard/shared/second-factor/step-up.js';
import { useTexts } from '@dashboard/shared/text/language.js';
import { SHARED_TEXTS } from '@dashboard/shared/text/texts.js';
import { SignInError } from './sign-in-error.js';
import { OPEN_TEXTS } from './texts.js';

const FACTORS = ['passkey', 'app', 'recovery'] as const;
type Factor = (typeof FACTORS)[number];

interface SecondStepProps {
  readonly hasPasskey: boolean;
  readonly hasApp: boolean;
  readonly isPending: boolean;
  /** Of the last code; null: none was sent yet. */
  readonly error: Error | null;
  readonly onCode: (code: string) => void;
  /** A rejection is shown. */
  readonly onPasskey: () => Promise<void>;
  readonly onBack: () => void;
}

export function SecondStep(props: SecondStepProps): ReactNode {
  const { hasPasskey, hasApp, onPasskey, onBack } = props;
  const texts = useTexts(OPEN_TEXTS);
  const shared = useTexts(SHARED_TEXTS);
  const offered = FACTORS.filter(
    (each) => each === 'recovery' || (each === 'app' ? hasApp : hasPasskey),
  );
  const [factor, setFactor] = useState<Factor>(offered[0] ?? 'recovery');
  return (
    <Stack>
      {factor === 'passkey' ? (
        <>
          <Text size="sm">{texts.passkeyHelp}</Text>
          <PasskeyButton label={shared.passkeyUse} onPress={onPasskey} />
        </>
      ) : (
        <CodeForm key={factor} isRecovery={factor === 'recovery'} {...props} />
      )}
      {offered
        .filter((each) => each !== factor)
        .map((each) => (
          <Button
            key={each}
            variant="subtle"
            onClick={() => {
              setFactor(each);
            }}
          >
            {texts.useFactor[each]}
          </Button>
        ))}
      <Button variant="subtle" color="gray" onClick={onBack}>
        {texts.back}
      </Button>
    </Stack>
  );
}

interface CodeFormProps extends Pick<SecondStepProps, 'isPending' | 'error' | 'onCode'> {
  readonly isRecovery: boolean;
}

function CodeForm({ isRecovery, isPending, error, onCode }: CodeFormProps): ReactNode {
  const texts = useTexts(OPEN_TEXTS);
  const [code, setCode] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const send = (event: FormEvent): void => {
    event.preventDefault();
    setIsMissing(code.trim() === '');
    if (code.trim() === '') return;
    setIsSent(true);
    onCode(readCode(code));
  };
  const wrong = isRecovery ? texts.wrongRecovery : texts.wrongCode;
  const message = isMissing ? texts.codeMissing : isSent && needsCode(error) ? wrong : null;
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <TextInput
          label={isRecovery ? texts.recoveryCode : texts.code}
          description={isRecovery ? texts.recoveryHelp : texts.codeHelp}
          placeholder={isRecovery ? '0a1b-2c3d-4e5f-6g7h' : '123456'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          autoFocus
          value={code}
          error={message}
          onChange={(event) => {
            setCode(event.currentTarget.value);
          }}
        />
        {isSent && error !== null && !needsCode(error) && <SignInError error={error} />}
        <Button type="submit" loading={isPending}>
          {texts.signIn}
        </Button>
      </Stack>
    </form>
  );
}
