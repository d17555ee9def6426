// A button that asks for a passkey, and says below why that failed.
import { Alert, Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import type { ReactNode } from 'react';
import { FIRST_FIELD } from '../forms/first-field.js';
import { ApiFailure } from '../api/failure.js';
import { PASSKEY_FIELD, PasskeyFailure } from '../session/passkeys.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { ApiErrorView } from '../parts/api-error-view.js';

const ICON_SIZE = 18;

interface PasskeyButtonProps {
  readonly label: string;
  /** A rejection is shown. */
  readonly onPress: () => Promise<unknown>;
}

export function PasskeyButton({ label, onPress }: PasskeyButtonProps): ReactNode {
  const { mutate, isPending, error } = useMutation({ mutationFn: onPress });
  return (
    <Stack>
      <Button
        loading={isPending}
        leftSection={<KeyRound size={ICON_SIZE} aria-hidden />}
        {...FIRST_FIELD}
        onClick={() => {
          mutate();
        }}
      >
        {label}
      </Button>
      {error !== null && <PasskeyErrorView error={error} />}
    </Stack>
  );
}

/** null: the error is not about the passkey. */
function findReason(error: Error): keyof (typeof SHARED_TEXTS)['en']['passkeyFailures'] | null {
  if (error instanceof PasskeyFailure) return error.reason;
  return error instanceof ApiFailure && error.param === PASSKEY_FIELD ? 'refused' : null;
}

/** An error about the passkey in words: the API speaks of a challenge there. Any other as usual. */
export function PasskeyErrorView({ error }: { readonly error: Error }): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const reason = findReason(error);
  if (reason === null) return <ApiErrorView error={error} />;
  return (
    <Alert color={reason === 'cancelled' ? 'yellow' : 'red'} role="alert">
      {texts.passkeyFailures[reason]}
    </Alert>
  );
}
