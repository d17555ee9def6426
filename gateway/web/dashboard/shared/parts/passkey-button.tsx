// A button that asks for a passkey, and says below why that failed.
import { Alert, Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import type { ReactNode } from 'react';
import { PasskeyFailure } from '../session/passkeys.js';
import { useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { ApiErrorView } from './api-error-view.js';

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
        data-autofocus
        autoFocus
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

/** An error of the browser in words; any other as usual. */
export function PasskeyErrorView({ error }: { readonly error: Error }): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  if (!(error instanceof PasskeyFailure)) return <ApiErrorView error={error} />;
  return (
    <Alert color={error.reason === 'cancelled' ? 'yellow' : 'red'} role="alert">
      {texts.passkeyFailures[error.reason]}
    </Alert>
  );
}
