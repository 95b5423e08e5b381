type AsyncMethod = (...args: never[]) => Promise<unknown>;

/** Makes the process crash before or after the next call of a method of the provider. */
export function crashAround<Provider extends object>(
  provider: Provider,
  name: keyof Provider,
  when: 'before' | 'after',
): void {
  const original = (provider[name] as AsyncMethod).bind(provider);
  const crashing = async (...args: never[]): Promise<unknown> => {
    if (when === 'before') return crash();
    await original(...args);
    return crash();
  };
  Object.assign(provider, { [name]: crashing });
}

/** Kills this process like a power failure, without cleanup and without responses. */
export function crash(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}
