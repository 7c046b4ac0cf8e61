/**
 * The npm peer as a separate process: `node bench/gateway/proxy-chain.ts <port> [<URL of another proxy>
 * <port> …]`, with the target's ports that are reached through the other proxy.
 */
import { Server } from 'proxy-chain'

const [port, upstream, ...chainedPorts] = process.argv.slice(2)
const chained = new Set(chainedPorts.map(Number))
const server = new Server({
  port: Number(port),
  host: '127.0.0.1',
  prepareRequestFunction: ({ username, password, port: targetPort }) => ({
    requestAuthentication: username !== 'bench' || password !== 'secret',
    ...(upstream !== undefined && chained.has(targetPort) ? { upstreamProxyUrl: upstream } : {}),
  }),
})
await server.listen()
