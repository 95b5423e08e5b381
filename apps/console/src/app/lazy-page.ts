const RETRY_DELAY_MS = 3_000;

/**
 * Imports a page, again and again while the service is not available.
 * @throws the error of the import if the service is available, or if `isWanted` returns false
 */
export async function retryWhileUnavailable<Module>(
  importPage: () => Promise<Module>,
  isWanted: () => boolean = () => true,
): Promise<Module> {
  for (;;) {
    try {
      return await importPage();
    } catch (error) {
      if ((await isAvailable()) || !isWanted()) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    }
  }
}

/** Returns whether the service responds. */
export async function isAvailable(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD' })).ok;
  } catch {
    return false;
  }
}
