import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobScheduler } from './job-scheduler.js';

/** Runs the jobs of all providers of the application, see `OnJob`. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [JobScheduler], exports: [JobScheduler] })
export class JobsModule {}
