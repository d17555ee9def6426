// The steps of a sign-in: PASSWORD → FACTOR, if the API asks for one → signed in.
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiFailure } from '@dashboard/shared/api/failure.js';
import { FACTOR_FIELD } from '@dashboard/shared/second-factor/step-up.js';
import { askPasskey, PASSKEY_FIELD } from '@dashboard/shared/session/passkeys.js';
import { type Credentials, signIn } from '@dashboard/shared/session/session.js';

/** The second factors of the account. */
interface Factors {
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
}

interface SignInSteps {
  /** null: the password comes first. */
  readonly factors: Factors | null;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly send: (credentials: Credentials) => void;
  readonly sendPasskey: (credentials: Credentials) => Promise<void>;
  readonly goBack: () => void;
}

/** Whether the password was right, and a second factor is missing or wrong. */
const asksForFactor = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && [FACTOR_FIELD, PASSKEY_FIELD].includes(error.param ?? '');

export function useSignIn(onDone: () => void): SignInSteps {
  const [factors, setFactors] = useState<Factors | null>(null);
  // A challenge works once: that of the first answer, then a new one for each attempt.
  const challenge = useRef<object | null>(null);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: (credentials: Credentials) => signIn(credentials),
    onSuccess: onDone,
    onError: (failure) => {
      if (!asksForFactor(failure) || factors !== null) return;
      const { param, passkeyOptions } = failure;
      challenge.current = passkeyOptions;
      setFactors({ hasApp: param === FACTOR_FIELD, hasPasskey: passkeyOptions !== null });
      reset();
    },
  });
  const sendPasskey = async (credentials: Credentials): Promise<void> => {
    const options = challenge.current ?? (await renewChallenge(credentials));
    challenge.current = null;
    if (options !== null) {
      await signIn({ ...credentials, passkey: await askPasskey(options) });
    }
    onDone();
  };
  const goBack = (): void => {
    setFactors(null);
    reset();
  };
  return { factors, isPending, error, send: mutate, sendPasskey, goBack };
}

/** The API gives a challenge with the error of a sign-in that lacks a factor. null: none is needed any more. */
async function renewChallenge(credentials: Credentials): Promise<object | null> {
  try {
    await signIn(credentials);
    return null;
  } catch (error) {
    if (asksForFactor(error) && error.passkeyOptions !== null) return error.passkeyOptions;
    throw error;
  }
}
