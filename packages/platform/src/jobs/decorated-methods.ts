import { MetadataScanner, type DiscoveryService } from '@nestjs/core';

/** A method of a provider, with the metadata that a decorator has stored on it. */
export interface DecoratedMethod<Metadata> {
  readonly instance: object;
  readonly metadata: Metadata;
  /** Calls the method on its instance. */
  readonly call: (...parameters: unknown[]) => Promise<void>;
}

/** Returns all methods of providers that have a decorator with this metadata key; each method once. */
export function findDecoratedMethods<Metadata>(
  discovery: DiscoveryService,
  { KEY }: { readonly KEY: string },
): DecoratedMethod<Metadata>[] {
  const scanner = new MetadataScanner();
  const instances = new Set(discovery.getProviders().map(({ instance }) => instance as unknown));
  return [...instances].filter(isObject).flatMap((instance) =>
    scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object | null).flatMap((key) => {
      const method = instance[key];
      if (!isMethod(method)) return [];
      const metadata = Reflect.getMetadata(KEY, method) as Metadata | undefined;
      return metadata ? [{ instance, metadata, call: (...parameters) => method.apply(instance, parameters) }] : [];
    }),
  );
}

function isObject(instance: unknown): instance is Record<string, unknown> {
  return typeof instance === 'object' && instance !== null;
}

function isMethod(value: unknown): value is (...parameters: unknown[]) => Promise<void> {
  return typeof value === 'function';
}
