/** Rule about the address itself: by its name alone, so that it warns and never blocks (decision 177). */
export const ADDRESS_RULE = "suspicious-url";
