/** Where time comes from: milliseconds since 1970. Handed in, so that a test can be at any midnight it likes. */
export type Clock = () => number
