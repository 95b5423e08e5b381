import { useState } from 'react';
import { mediaDraftOf, type MediaProblem } from './media-file.js';
import type { MediaDraft } from './outbox-state.js';

/** The pictures and videos that the person has chosen and not sent, and why one of them cannot be sent. */
export function useChosenFiles() {
  const [drafts, setDrafts] = useState<readonly MediaDraft[]>([]);
  const [problem, setProblem] = useState<{ reason: MediaProblem; name: string }>();
  const add = async (files: readonly File[]) => {
    setProblem(undefined);
    for (const file of files) {
      const draft = await mediaDraftOf(file);
      if (typeof draft === 'string') setProblem({ reason: draft, name: file.name });
      else setDrafts((chosen) => [...chosen, draft]);
    }
  };
  const remove = (draft: MediaDraft) => {
    URL.revokeObjectURL(draft.previewUrl);
    setDrafts((chosen) => chosen.filter((each) => each !== draft));
  };
  /** Returns the files, which someone else owns then. */
  const take = () => {
    setDrafts([]);
    return drafts;
  };
  return { drafts, problem, add, remove, take, clear: () => take().forEach(remove) };
}
