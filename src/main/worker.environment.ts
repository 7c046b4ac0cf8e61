/** What of the environment a gateway's worker is given: it talks to strangers all day, and must hold no key of the shop. */

/** What Node.js, OpenSSL and the C library look at. Everything else is a setting, or somebody else's secret. */
const kept = /^(PATH|HOME|LANG|TZ|TMPDIR|LC_[A-Z]+|NODE_[A-Z_]+|UV_[A-Z_]+|SSL_CERT_(FILE|DIR))$/

/** The part of an environment that names no secret. A worker is told its settings in a message. */
export function workerEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => kept.test(name)))
}
