/** The pictures of the README: which state each shows, in English, light, in the window of a desktop. */
export interface ReadmePicture {
  file: string
  /** The height of the window, where the usual one shows too little. */
  heightPx?: number
}

export const readmePictures: Readonly<Record<string, ReadmePicture>> = {
  home: { file: 'home.png' },
  'account-main-busy': { file: 'account.png', heightPx: 1480 },
  'account-requests-busy': { file: 'requests.png' },
  'account-request-refused': { file: 'request.png' },
  'account-panel': { file: 'generator.png', heightPx: 1080 },
  'account-palette-command': { file: 'palette.png' },
  'account-proxyUsers': { file: 'users.png' },
  'account-factor-set-up': { file: 'two-factor.png' },
  'desk-today': { file: 'desk.png' },
}
