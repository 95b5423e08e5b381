import { ApiError } from '@family-watch/client';
import { Alert } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { TbRefresh } from 'react-icons/tb';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFieldErrors } from '../../../core/errors/error-texts.js';
import { ErrorAlert } from '../../../ui/error-alert.js';
import { useUnsavedChanges } from '../../../ui/unsaved-changes.js';

interface SettingsChangeOptions<Values, Result> {
  /** The query of the settings. */
  queryKey: QueryKey;
  /** The version that the page shows when the form is opened. */
  version: number;
  /** The version that the person has seen, if several forms of a page change the same settings. */
  seen?: readonly [version: number, setVersion: (version: number) => void];
  /** Sends the change with the version that the person has seen. */
  save: (values: Values, version: number) => Promise<Result>;
  onSaved?: () => void;
  /** The form that shows which of its fields the service has rejected. */
  form?: { setErrors: (errors: Record<string, string>) => void; isDirty: () => boolean; resetDirty: () => void };
}

/**
 * Changes versioned settings. The version is the one that the person saw when the form was opened, so that a change of
 * somebody else is not overwritten unseen. After VERSION_STALE the page shows the new state, the form keeps what was
 * typed, and the next attempt is a decision about the new state.
 */
export function useSettingsChange<Values, Result extends { version: number }>({
  queryKey,
  version,
  seen,
  save,
  onSaved,
  form,
}: SettingsChangeOptions<Values, Result>) {
  const { t } = useTranslation('watchSettings');
  const queries = useQueryClient();
  const fieldErrors = useFieldErrors();
  const ownSeen = useState(version);
  useUnsavedChanges(form?.isDirty ?? isClean);
  const [seenVersion, setSeenVersion] = seen ?? ownSeen;
  const change = useMutation({
    mutationFn: (values: Values) => save(values, seenVersion),
    onSuccess: async (result) => {
      form?.resetDirty();
      setSeenVersion(result.version);
      await queries.invalidateQueries({ queryKey });
      notifications.show({ message: t('saved') });
      onSaved?.();
    },
    onError: async (error) => {
      form?.setErrors(fieldErrors(error));
      if (!isVersionStale(error)) return;
      await queries.invalidateQueries({ queryKey });
      setSeenVersion(queries.getQueryData<{ version: number }>(queryKey)?.version ?? seenVersion);
    },
  });
  return { change, isStale: isVersionStale(change.error) };
}

/** Changes versioned settings by one click, with the version that the page shows at that moment. */
export function useSettingsClick<Values = void>(queryKey: QueryKey, save: (values: Values) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: save,
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}

/** Why a change of settings failed. `current`: the stored state in words, which somebody else has changed. */
export function SettingsError({ error, current }: { error: unknown; current?: string }) {
  const { t } = useTranslation('watchSettings');
  if (!isVersionStale(error)) return <ErrorAlert error={error} />;
  return (
    <Alert color="orange" variant="light" icon={<TbRefresh aria-hidden />} role="alert">
      {t('stale')} {current !== undefined && t('staleNow', { state: current })}
    </Alert>
  );
}

const isClean = () => false;

function isVersionStale(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'VERSION_STALE';
}
