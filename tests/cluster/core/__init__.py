"""The core on a real control plane: `landform controller` as processes, kubectl as the user. Time is real here."""
