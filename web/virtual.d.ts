/** Provided by the plugin of `build/flags.ts`. */
declare module 'virtual:flags' {
  /** The address of the sprite with all flags; the id of each symbol is the country code in lower case. */
  const address: string
  export default address
}
