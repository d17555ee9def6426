// Step-up: the API answers some requests with an error about `totp_code` until a code is sent. The person proves a passkey,
// which gives a code, or enters one, and the request is repeated with it.
import { createContext, type FunctionComponent, type ReactNode, use, useState } from 'react';
import { ApiFailure } from '../api/failure.js';
import { describeFieldError } from '../text/error-texts.js';
import { useLanguage } from '../text/language.js';
import type { Question } from './step-up-dialog.js';

export const FACTOR_FIELD = 'totp_code';

/** Runs a request, without a code first. */
export type StepUp = <Data>(run: (code: string | undefined) => Promise<Data>) => Promise<Data>;

const StepUpContext = createContext<StepUp>((run) => run(undefined));

export const useStepUp = (): StepUp => use(StepUpContext);

/** The dialog is loaded with the first question. */
interface Asked extends Question {
  readonly Dialog: FunctionComponent<Question>;
}

export const needsCode = (error: unknown): error is ApiFailure =>
  error instanceof ApiFailure && error.param === FACTOR_FIELD;

/** The part of a body that holds the code. */
export const buildProof = (code: string | undefined) =>
  code === undefined ? {} : { [FACTOR_FIELD]: code };

export function StepUpProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const { language } = useLanguage();
  const [asked, setAsked] = useState<Asked | null>(null);
  const ask = async (message: string): Promise<string | null> => {
    const { StepUpDialog: Dialog } = await import('./step-up-dialog.js');
    return new Promise((resolve) => {
      const answer = (code: string | null): void => {
        setAsked(null);
        resolve(code);
      };
      setAsked({ Dialog, message, answer });
    });
  };
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
      {asked !== null && <asked.Dialog message={asked.message} answer={asked.answer} />}
    </StepUpContext>
  );
}
