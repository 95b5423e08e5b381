/** How the service runs: all apps in one process, or each in its own on NATS behind the edge. */
export const DEPLOYMENTS = ['standalone', 'distributed'] as const;
export type DeploymentName = (typeof DEPLOYMENTS)[number];
