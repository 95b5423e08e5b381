import { Injectable, Logger } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { DeliveryDiagnosisSource, type AppAdministration } from '@family-watch/domain/operators/app-administration';
import { APP_NAME, type AppName } from '@family-watch/domain/operators/contracts/app-administration';
import { Environment } from '@family-watch/platform/config/environment';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { remoteAppsOf, type RemoteApps } from '@family-watch/platform/http/internal-operations';
import { LocalAppAdministration } from '@family-watch/platform/app/operator/app-administration';

/** Seconds after which a request that needs an unavailable app may be repeated. */
const RETRY_AFTER_S = 5;

/**
 * Reaches the apps for operators: those of this process directly, the others with internal operations. Only userctx
 * authenticates operators, so that no other app needs their roles and the audit list.
 */
@Injectable()
export class AdministeredAppsService {
  private readonly logger = new Logger(AdministeredAppsService.name);
  private readonly remote: RemoteApps;

  constructor(
    private readonly modules: ModuleRef,
    environment: Environment,
  ) {
    this.remote = remoteAppsOf(environment);
  }

  /** Calls one app. @throws ServiceError SERVICE_UNAVAILABLE if the app does not respond or is not configured */
  ask<Result>(app: AppName, call: (administration: AppAdministration) => Promise<Result>): Promise<Result> {
    const local = this.findLocal(LocalAppAdministration).find((each) => each.app === app);
    return local ? call(local) : this.askRemote(app, this.remote.administrations[app], call);
  }

  /** Calls the gateway. @throws ServiceError SERVICE_UNAVAILABLE if the gateway does not respond or is not configured */
  askDeliveries<Result>(call: (deliveries: DeliveryDiagnosisSource) => Promise<Result>): Promise<Result> {
    const [local] = this.findLocal(DeliveryDiagnosisSource);
    return local ? call(local) : this.askRemote(APP_NAME.GATEWAY, this.remote.deliveries, call);
  }

  private async askRemote<Remote, Result>(
    app: AppName,
    remote: Remote | undefined,
    call: (remote: Remote) => Promise<Result>,
  ): Promise<Result> {
    try {
      if (remote === undefined) throw new Error(`The URL of ${app} is not configured`);
      return await call(remote);
    } catch (err) {
      if (err instanceof DatabaseUnavailableError) throw err;
      this.logger.warn({ msg: 'App did not respond to a request of an operator', targetApp: app, err });
      throw new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: RETRY_AFTER_S });
    }
  }

  /** Returns the instances in this process, of which standalone has one for each app. */
  private findLocal<Provider>(token: abstract new (...parameters: never[]) => Provider): Provider[] {
    try {
      return this.modules.get<unknown, Provider>(token, { strict: false, each: true });
    } catch {
      // Throws if no module of this process provides the token.
      return [];
    }
  }
}
