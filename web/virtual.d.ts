/** What vite.config.ts writes at the build. */
declare module 'virtual:flags' {
  /** The address of the sprite of all flags; each is `#` and the country's code in small letters. */
  const address: string
  export default address
}
