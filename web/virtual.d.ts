/** Provided by the plugin of `build/flags.ts`. */
declare module 'virtual:flags' {
  /** The address of the sprite with all flags; the id of each symbol is the country code in lower case. */
  const address: string
  export default address
}

/** Provided by the plugin of `build/api-index.ts`. */
declare module 'virtual:api-index' {
  interface Texts {
    ru: string
    en: string
  }
  interface Subject {
    id: string
    name: Texts
    about: Texts
    calls: readonly { name: string; method: 'GET' | 'POST'; path: string; summary: Texts }[]
  }
  /** The calls of the API, by what a customer does with them. */
  const subjects: readonly Subject[]
  export default subjects
}
