import { DiscoveryService } from '@nestjs/core';

export const OnScrapeMetadata = DiscoveryService.createDecorator<boolean>();

type ScrapeMethod = () => Promise<void> | void;

type ScrapeDecorator = <Method extends ScrapeMethod>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Calls the method before metrics are read, at most once in three seconds, to set gauges of the current state. The class
 * must be a provider. A method that queries the database must read a bounded number of rows.
 */
export function OnScrape(): ScrapeDecorator {
  return OnScrapeMetadata(true);
}
