// A failed request: the message, what to do, and the request id for support. An error of the page itself is told as one and
// reported, and a reload is offered.
import { Alert, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ApiFailure } from '../api/failure.js';
import { reload } from '../faults/reload-offer.js';
import { findFault, reportFault } from '../faults/report.js';
import { describeError } from '../text/error-texts.js';
import { type Language, useLanguage, useTexts } from '../text/language.js';
import { SHARED_TEXTS } from '../text/texts.js';
import { Identifier } from './identifier.js';

const FORBIDDEN = 403;
const TOO_MANY = 429;
const SERVERS_ERROR = 500;

type Texts = (typeof SHARED_TEXTS)['en'] | (typeof SHARED_TEXTS)['id'];

interface Description {
  readonly title: string;
  readonly text: string;
  /** The API's own message, in English. */
  readonly detail: string | null;
  readonly help: string;
}

/** Of any error: what happened, and what to do. */
export function describeFailure(error: unknown, language: Language, texts: Texts): Description {
  const fault = findFault(error);
  if (fault !== null) {
    const { title, help: text } = texts.faults[fault];
    return { title, text, detail: null, help: '' };
  }
  if (!(error instanceof ApiFailure)) {
    return { title: texts.offlineTitle, text: texts.offlineHelp, detail: null, help: '' };
  }
  const { status, param } = error;
  const described = describeError(language, error);
  if (status === FORBIDDEN && param === null) {
    return { ...described, title: texts.forbiddenTitle, help: texts.forbiddenHelp };
  }
  const isTemporary = status === TOO_MANY || status >= SERVERS_ERROR;
  const help = isTemporary
    ? `${texts.errorHelp.wait} ${texts.errorHelp.report}`
    : texts.errorHelp.check;
  return { ...described, title: texts.errorTitle, help };
}

interface ApiErrorViewProps {
  readonly error: Error;
  readonly onRetry?: () => void;
}

export function ApiErrorView({ error, onRetry }: ApiErrorViewProps): ReactNode {
  const texts = useTexts(SHARED_TEXTS);
  const { language } = useLanguage();
  const { title, text, detail, help } = describeFailure(error, language, texts);
  const isFault = findFault(error) !== null;
  useEffect(() => {
    reportFault(error);
  }, [error]);
  const requestId = error instanceof ApiFailure ? error.requestId : null;
  return (
    <Alert color="red" title={title} role="alert">
      <Text size="sm">{text}</Text>
      {detail !== null && (
        <Text size="sm" lang="en">
          {detail}
        </Text>
      )}
      {help !== '' && <Text size="sm">{help}</Text>}
      {requestId !== null && (
        <Group gap="xs" mt="xs">
          <Text size="xs" component="span">
            {texts.requestId}
          </Text>
          <Identifier value={requestId} />
        </Group>
      )}
      <Group gap="xs" mt={isFault || onRetry !== undefined ? 'sm' : 0}>
        {isFault && (
          <Button size="xs" onClick={reload}>
            {texts.reload}
          </Button>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {texts.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
