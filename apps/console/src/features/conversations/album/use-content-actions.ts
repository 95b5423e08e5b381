import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useErrorText } from '../../../core/errors/error-texts.js';
import { useSession } from '../../../core/session/use-session.js';

/** The most ids that the service accepts in a request. */
const MAX_IDS = 1_000;

type ActionText = 'deleted' | 'added' | 'removed' | 'restored' | 'purged';

interface Outcome {
  readonly text: ActionText;
  readonly changed: readonly string[];
  readonly failed: readonly string[];
}

/** Changes of files. Each says what the service has really changed, which may be less than was selected. */
export function useContentActions(cloudID: string, onChanged: (contentIDs: readonly string[]) => void) {
  const { t } = useTranslation('album');
  const errorText = useErrorText();
  const queries = useQueryClient();
  const { familyCloud } = useSession().client;
  const { mutate, mutateAsync, isPending } = useMutation({
    mutationFn: (change: () => Promise<Outcome>) => change(),
    onSuccess: ({ text, changed, failed }) => {
      if (changed.length > 0) notifications.show({ message: t(text, { count: changed.length }), role: 'status' });
      if (failed.length > 0)
        notifications.show({ message: t('notChanged', { count: failed.length }), color: 'orange', role: 'alert' });
      if (text !== 'added') onChanged(changed);
      void queries.invalidateQueries({ queryKey: ['album'] });
    },
  });
  const run = (change: () => Promise<Outcome>) =>
    mutate(change, {
      onError: (error) => notifications.show({ message: errorText(error), color: 'orange', role: 'alert' }),
    });
  const selected = (contentIDs: readonly string[]) => ({ cloudID, contentIDList: contentIDs.slice(0, MAX_IDS) });
  return {
    isPending,
    remove: (contentIDs: readonly string[]) =>
      run(async () => {
        const { deleteContIDList, failureContIDList } = await familyCloud.deleteContents(selected(contentIDs));
        return { text: 'deleted', changed: deleteContIDList, failed: failureContIDList };
      }),
    addToAlbum: (contentIDs: readonly string[], photoID: string) =>
      run(async () => {
        const { addContIDList, failureContIDList } = await familyCloud.addPhotoContents({
          ...selected(contentIDs),
          photoID,
        });
        return { text: 'added', changed: addContIDList, failed: failureContIDList };
      }),
    removeFromAlbum: (contentIDs: readonly string[], photoID: string) =>
      run(async () => {
        const { removeContIDList, failureContIDList } = await familyCloud.removePhotoContents({
          ...selected(contentIDs),
          photoID,
        });
        return { text: 'removed', changed: removeContIDList, failed: failureContIDList };
      }),
    restore: (contentIDs: readonly string[]) =>
      run(async () => {
        const { restoreContIDList, failureContIDList } = await familyCloud.restoreContents(selected(contentIDs));
        return { text: 'restored', changed: restoreContIDList, failed: failureContIDList };
      }),
    /** Rejects on failure, which the dialog that asked shows. */
    purge: (contentIDs: readonly string[]) =>
      mutateAsync(async () => {
        const { purgeContIDList, failureContIDList } = await familyCloud.purgeContents(selected(contentIDs));
        return { text: 'purged', changed: purgeContIDList, failed: failureContIDList };
      }),
  };
}
