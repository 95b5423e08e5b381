import type { FastifyInstance } from 'fastify';
import createRouter from 'find-my-way';
import type { HTTPMethod } from 'find-my-way';

/** Knows the methods of all routes. Callers must create it before the routes are registered. */
export class AllowedMethods {
  private readonly router = createRouter({ caseSensitive: true, maxParamLength: 256 });
  private readonly methods = new Set<HTTPMethod>();

  constructor(fastify: FastifyInstance) {
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat() as HTTPMethod[]) {
        this.methods.add(one);
        this.router.on(one, url, () => undefined);
      }
    });
  }

  /** Returns the methods that the path of `url` supports; empty if no route has this path. */
  of(url: string): string[] {
    const [path = ''] = url.split('?', 1);
    return [...this.methods].filter((method) => this.hasRoute(method, path)).sort();
  }

  /** The router also matches an empty path parameter, which Fastify rejects. */
  private hasRoute(method: HTTPMethod, path: string): boolean {
    const route = this.router.find(method, path);
    return route !== null && !Object.values(route.params).includes('');
  }
}
