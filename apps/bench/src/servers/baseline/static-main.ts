import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';

/** Runs `@fastify/static` as in its README. Environment: `FOLDER`, `PORT`. */
const { FOLDER = '', PORT } = process.env;
const server = Fastify();
await server.register(fastifyStatic, { root: FOLDER });
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.stdout.write('bare static is ready\n');
