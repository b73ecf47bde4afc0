"""The cards of the page Head roles: the map, a head's scores, its made text, the typed text."""
