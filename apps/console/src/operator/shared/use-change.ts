import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';

/** A change by the operator, after which the lists are read again. */
export function useChange<Result, Values = void>(
  change: (values: Values) => Promise<Result>,
  onSuccess?: (result: Result) => void,
): UseMutationResult<Result, Error, Values> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (result) => {
      onSuccess?.(result);
      await queries.invalidateQueries();
    },
  });
}
