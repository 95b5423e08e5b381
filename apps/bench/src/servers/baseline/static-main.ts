import fastifyStatic from '@fastify/static';
import Fastify from 'fastify';

/** `@fastify/static` as its README starts it. `FOLDER`, `PORT`. */
const { FOLDER = '', PORT } = process.env;
const server = Fastify();
await server.register(fastifyStatic, { root: FOLDER });
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.stdout.write('bare static is ready\n');
