/** The npm peer as a separate process: `node bench/gateway/proxy-chain.ts <port>`. */
import { Server } from 'proxy-chain'

const server = new Server({
  port: Number(process.argv[2]),
  host: '127.0.0.1',
  prepareRequestFunction: ({ username, password }) => ({
    requestAuthentication: username !== 'bench' || password !== 'secret',
  }),
})
await server.listen()
